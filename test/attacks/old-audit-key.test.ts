import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { parseLine } from '../../src/audit/line.ts'
import { sealBody } from '../../src/audit/seal.ts'
import { digestOf, keyId, type SignedEnd, statementText } from '../../src/hsm/audit-end.ts'
import { successionText } from '../../src/hsm/audit-succession.ts'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { createChainWriter } from '../support/chain-writer.ts'
import { strongroom } from '../support/console-kit.ts'
import { stealAuditKey } from '../support/stolen-key.ts'

/**
 * The attacker took over a host earlier and kept the private half of the audit key. Now he writes to the folder of the
 * trail and to the database. The operator has rotated the key.
 */
const appliance = applianceForTests(() =>
  TestAppliance.own({}, { prepare: (token) => void (stolen = stealAuditKey(token)) }),
)
let stolen: KeyObject

beforeAll(async () => {
  await run('apikey', 'create', 'payroll')
})

async function run(...args: string[]) {
  const { status, stdout, stderr } = await strongroom(appliance.configFile, ['--json', ...args])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(stdout)
}

/** Copies the trail for an auditor. The daemon goes on writing the original. */
function copyOfTrail(): string {
  const copy = mkdtempSync(join(tmpdir(), 'trail-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  cpSync(appliance.config.audit.directory, copy, { recursive: true })
  return copy
}

async function isSound(directory: string, publicKey: string): Promise<boolean> {
  const args = ['audit', 'verify', '--directory', directory, '--public-key', publicKey]
  const { status } = await strongroom(appliance.configFile, args)
  return status === 0
}

const spki = (key: KeyObject): Buffer => createPublicKey(key).export({ type: 'spki', format: 'der' })
const signedBy = (key: KeyObject, text: string): Buffer =>
  sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })

/** The chain with another name in its records, and all seals by this key. */
function rewritten(lines: readonly string[], key: KeyObject): string {
  const { add, end, text } = createChainWriter('console')
  let last: SignedEnd | undefined
  for (const line of lines) {
    const { type, body } = parseLine(line) ?? { type: 'event' as const, body: '' }
    if (type === 'event') {
      add('event', body.replace('payroll', 'nothing'))
      continue
    }
    last = sealedBy(key, 'console', end(), last)
    add('seal', sealBody(last))
  }
  return text()
}

function sealedBy(
  key: KeyObject,
  chain: string,
  covers: { seq: number; hash: string },
  last: SignedEnd | undefined,
): SignedEnd {
  const text = statementText({ chain, at: 1, covers, after: digestOf(last), heads: {}, key: keyId(spki(key)) })
  return { text, signature: signedBy(key, text) }
}

const chainOf = (directory: string): string => join(directory, 'console.000001.jsonl')
const linesOf = (directory: string): string[] => readFileSync(chainOf(directory), 'latin1').split('\n').slice(0, -1)

/** Rewrites only his chain; others would still contain the old name. */
function rewriteAll(directory: string, key: KeyObject): void {
  writeFileSync(chainOf(directory), rewritten(linesOf(directory), key))
  for (const name of readdirSync(directory)) if (name.startsWith('worker-')) rmSync(join(directory, name))
}

it('rewrites the trail as he likes until the key is rotated', async () => {
  const copy = copyOfTrail()
  rewriteAll(copy, stolen)
  expect(readFileSync(chainOf(copy), 'utf8')).not.toContain('payroll')
  expect(await isSound(copy, join(copy, 'audit-public.pem'))).toBe(true)
})

it('signs nothing that is believed once it is rotated, and the trail goes on', async () => {
  const { made, auditKey } = await run('root-keys', 'rotate', 'audit')
  expect({ made, key: auditKey.key }).toEqual({
    made: ['strongroom.audit.v2'],
    key: expect.stringMatching(/^[0-9a-f]{16}$/),
  })
  await run('apikey', 'create', 'afterwards')
  const { destroyed } = await run('root-keys', 'rotate', 'audit', '--destroy-unused', '--yes')
  expect(destroyed).toEqual(['strongroom.audit.v1'])
  await run('apikey', 'create', 'later')
  expect(await run('audit', 'verify')).toMatchObject({ sound: true })

  const keys = (copy: string) => ['audit-public.pem', auditKey.file].map((name) => join(copy, name))
  const verdicts = async (copy: string) => Promise.all(keys(copy).map((key) => isSound(copy, key)))
  expect(await verdicts(copyOfTrail())).toEqual([true, true])

  const all = copyOfTrail()
  rewriteAll(all, stolen)
  expect(await verdicts(all)).toEqual([false, false])

  const before = copyOfTrail()
  const lines = linesOf(before)
  // The chain up to the change of the key: what came after it is lost.
  const changed = lines.findIndex((line) => line.includes(auditKey.key))
  expect(changed).toBeGreaterThan(0)
  writeFileSync(chainOf(before), rewritten(lines.slice(0, changed - 1), stolen))
  expect(await verdicts(before)).toEqual([false, false])

  const more = copyOfTrail()
  const own = createChainWriter('worker-9')
  own.add('event', '"at":1,"operation":"x","requestId":"","outcome":"allowed"')
  own.add('seal', sealBody(sealedBy(stolen, 'worker-9', own.end(), undefined)))
  writeFileSync(join(more, 'worker-9.000001.jsonl'), own.text())
  expect(await verdicts(more)).toEqual([false, false])

  // The old key cannot prove whose the next one is, so auditors are given the next one.
  const mine = copyOfTrail()
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const [from, to] = [stolen, privateKey].map((key) => spki(key).toString('base64'))
  const text = successionText({ from: String(from), to: String(to), at: 1, heads: {} })
  const [byFormer, byNext] = [stolen, privateKey].map((key) => signedBy(key, text).toString('base64'))
  writeFileSync(join(mine, 'audit-keys.jsonl'), `{"succession":${text},"from":"${byFormer}","to":"${byNext}"}\n`)
  rewriteAll(mine, privateKey)
  expect(await isSound(mine, join(mine, auditKey.file))).toBe(false)
})

it('the appliance is the same: it restores its backups from before', async () => {
  expect((await appliance.hsm.auditPublicKey()).equals(spki(stolen))).toBe(true)
  await appliance.restart()
  expect(await run('audit', 'verify')).toMatchObject({ sound: true })
})
