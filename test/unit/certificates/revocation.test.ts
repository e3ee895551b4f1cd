import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readCertificate, type Certificate } from '../../../src/features/certificates/certificate.ts'
import { pemBlocks } from '../../../src/encoding/pem.ts'
import { createRevocations } from '../../../src/features/certificates/revocation.ts'
import { ClientCa, caExtensions } from '../../support/client-pki.ts'

const dayMs = 86_400_000

const givenCa = (extensions = caExtensions): ClientCa => new ClientCa('/CN=Card CA/O=Example', undefined, extensions)

function read(path: string): Certificate {
  const [block] = pemBlocks(readFileSync(path, 'latin1'))
  return readCertificate(block?.bytes ?? Buffer.alloc(0))
}

function revocations(...crls: string[]) {
  const problems: unknown[] = []
  const made = createRevocations({ crls, crlWarningMs: 2 * dayMs }, (_sentence, cause) => problems.push(String(cause)))
  return { ...made, problems }
}

it('warns before a list expires, when it has, and where there is none', () => {
  const ca = givenCa()
  ca.writeCrl(7 * 86_400)
  const { alarms } = revocations(ca.crl)
  const now = Date.now()
  expect(alarms([read(ca.certificate)], now)).toEqual([])
  expect(alarms([read(ca.certificate)], now + 6 * dayMs)).toEqual([
    expect.stringMatching(/Card CA.* expires on \d{4}-/),
  ])
  expect(alarms([read(ca.certificate)], now + 8 * dayMs)).toEqual([
    expect.stringMatching(/Card CA.* expired on \d{4}-/),
  ])
  expect(alarms([read(givenCa().certificate)], now)).toEqual([expect.stringMatching(/no revocation list of .*Card CA/)])
})

it('finds a card among a hundred thousand', () => {
  const ca = givenCa()
  const [first, last, good] = [ca.issue('/CN=First'), ca.issue('/CN=Last'), ca.issue('/CN=Good')]
  ca.revoke(first)
  const others = Array.from(
    { length: 100_000 },
    (_, at) =>
      `R\t301231235959Z\t240101000000Z\t${(2 ** 40 + at).toString(16).toUpperCase().padStart(12, '0')}\tunknown\t/CN=u`,
  )
  const index = join(ca.directory, 'index.txt')
  writeFileSync(index, `${readFileSync(index, 'utf8')}${others.join('\n')}\n`)
  ca.revoke(last)
  ca.writeCrl()
  const { rejectReason } = revocations(ca.crl)
  const verdicts = [first, last, good].map(({ certificate }) =>
    rejectReason(read(certificate), read(ca.certificate), Date.now()),
  )
  expect(verdicts).toEqual(['revoked', 'revoked', undefined])
})

it('believes no list of a CA that may not sign one, none of another key, and none that tells only what changed', () => {
  const [silent, ca, twin] = [
    givenCa(['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign']),
    givenCa(),
    givenCa(),
  ]
  for (const authority of [silent, ca, twin]) authority.writeCrl()
  const without = 'of a CA without a revocation list'
  const verdict = (authority: ClientCa, crl: string) =>
    revocations(crl).rejectReason(
      read(authority.issue('/CN=Card').certificate),
      read(authority.certificate),
      Date.now(),
    )
  expect(verdict(ca, ca.crl)).toBeUndefined()
  expect(verdict(ca, twin.crl)).toBe(without)
  expect(verdict(silent, silent.crl)).toBe(without)
  writeFileSync(
    join(ca.directory, 'ca.cnf'),
    `${readFileSync(join(ca.directory, 'ca.cnf'), 'utf8')}2.5.29.27 = critical,DER:020101\n`,
  )
  ca.writeCrl()
  expect(verdict(ca, ca.crl)).toBe(without)
})

it('asks for each of the lists into which a CA has divided what it revoked', () => {
  const ca = givenCa()
  const card = read(ca.issue('/CN=Card').certificate)
  const settings = readFileSync(join(ca.directory, 'ca.cnf'), 'utf8')
  const part = (name: string, seconds: number): string => {
    writeFileSync(
      join(ca.directory, 'ca.cnf'),
      `${settings}issuingDistributionPoint = critical,@${name}\n[${name}]\nfullname = URI:http://example.test/${name}.crl\n`,
    )
    ca.writeCrl(seconds)
    const path = join(ca.directory, `${name}.crl`)
    writeFileSync(path, readFileSync(ca.crl))
    return path
  }
  const [one, other] = [part('one', 7 * 86_400), part('other', 86_400)]
  const { rejectReason } = revocations(one, other)
  expect(rejectReason(card, read(ca.certificate), Date.now())).toBeUndefined()
  expect(rejectReason(card, read(ca.certificate), Date.now() + 2 * dayMs)).toBe(
    'of a CA whose revocation list has expired',
  )
})

it('believes no list of the future', () => {
  const ca = givenCa()
  ca.writeCrl()
  const card = read(ca.issue('/CN=Card').certificate)
  expect(revocations(ca.crl).rejectReason(card, read(ca.certificate), Date.now() - dayMs)).toMatch(/revocation list/)
})
