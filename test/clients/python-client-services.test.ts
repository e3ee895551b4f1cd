import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportPKCS8 } from 'jose'
import { afterAll, beforeAll, describe } from 'vitest'
import { CardAppliance } from '../api/certificates/card-kit.ts'
import { makePair, seconds, signed, type SigningPair } from '../support/assertion-kit.ts'
import { ClientCa } from '../support/client-pki.ts'
import { addCredential, addService, asked, certificateOf, sharedVault } from '../support/service-kit.ts'
import { premisesOf, pythonTests } from './python-client-kit.ts'

const issuer = 'https://kubernetes.default.svc.cluster.local'
const folder = mkdtempSync(join(tmpdir(), 'strongroom-python-'))
let cards: CardAppliance
let premises: object

beforeAll(async () => {
  const ca = new ClientCa()
  ca.writeCrl()
  const pairs = await Promise.all(['EdDSA', 'ES256', 'RS256'].map((alg) => makePair(alg)))
  const cluster = await makePair('RS256')
  const jwksFile = write('jwks.json', JSON.stringify({ keys: [cluster.jwk] }))
  const service = { allowStatic: true, sessionMs: 60_000, issuers: [{ issuer, jwksFile }] }
  cards = await CardAppliance.start({ clientCa: ca.certificate, crls: [ca.crl] }, { service })
  const { appliance, url: listener } = cards
  const owner = await appliance.addUser()
  const ownerClient = await appliance.login(owner)
  const account = await addService(appliance, owner)
  const card = ca.issue('/CN=mailer')
  const { key } = await addCredential(appliance, account, { ...asked, kind: 'static' })
  await addCredential(appliance, account, { ...asked, kind: 'certificate', certificate: certificateOf(card) })
  for (const { jwk } of pairs)
    await addCredential(appliance, account, { ...asked, kind: 'jwt', publicKey: jwk, kid: null })
  const claims = { sub: 'system:serviceaccount:shop:*' }
  await addCredential(appliance, account, { ...asked, kind: 'federated', issuer, claims })
  const vault = await sharedVault(ownerClient, account)
  await ownerClient.must('POST', `/transparent/${vault}/keys/column`, {})
  const files = {
    certificate: card.certificate,
    certificateKey: card.key,
    token: write('token', await clusterToken(cluster)),
    ...Object.fromEntries(
      await Promise.all(
        pairs.map(async ({ alg, privateKey }) => [alg, write(alg, await exportPKCS8(privateKey))] as const),
      ),
    ),
  }
  premises = { ...(await premisesOf(appliance)), account: account.name, key, vault, listener, files }
})
afterAll(() => cards.close())

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

const clusterToken = (pair: SigningPair): Promise<string> =>
  signed(pair, {
    iss: issuer,
    sub: 'system:serviceaccount:shop:mailer',
    aud: 'strongroom',
    iat: seconds(),
    exp: seconds() + 3_600,
  })

describe('service accounts by the client for Python', () => {
  pythonTests('test_services', () => premises)
})
