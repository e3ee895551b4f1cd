import { X509Certificate, createPrivateKey } from 'node:crypto'
import { readBytes, readSecret } from '../../config/loader.ts'
import { dayMs, judgeEnd, renewal, type Thresholds } from '../../monitor/judgement.ts'
import { findingsOf, type Check, type Finding } from './findings.ts'

const topic = 'certificate'
const { ok, judged, problem } = findingsOf(topic)

/** Checks that clients can accept the server certificate: its dates, its key and its names. */
export const certificateCheck: Check = {
  topic,
  run({ tls, warnings }) {
    const certificate = certificateIn(readBytes(tls.certificate, 'put it there, or correct tls.certificate'))
    if (certificate === undefined)
      return [problem(`${tls.certificate} (tls.certificate) holds no certificate in PEM form`, renewal)]
    const findings = [
      ...dateFindings(certificate, warnings),
      ...keyFinding(certificate, tls.key),
      ...nameFinding(certificate),
    ]
    if (findings.length > 0) return findings
    const days = Math.floor((Date.parse(certificate.validTo) - Date.now()) / dayMs)
    return [ok(`good for ${days} days, for ${namesOf(certificate).join(', ')}`)]
  },
}

/** The first certificate in these bytes; undefined if there is none. */
export function certificateIn(text: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(text)
  } catch {
    return undefined
  }
}

function dateFindings({ validFrom, validTo }: X509Certificate, thresholds: Thresholds): Finding[] {
  if (Date.parse(validFrom) > Date.now())
    return [problem(`not valid before ${validFrom}`, `Check the clock of this machine. ${renewal}`)]
  const judgement = judgeEnd('server', Date.parse(validTo), Date.now(), thresholds)
  return judgement.state === 'ok' ? [] : [judged(judgement)]
}

function keyFinding(certificate: X509Certificate, keyFile: string): Finding[] {
  if (certificate.checkPrivateKey(createPrivateKey(readSecret(keyFile)))) return []
  return [problem('tls.key is not the key of tls.certificate', 'Put the two files of one pair there.')]
}

function nameFinding(certificate: X509Certificate): Finding[] {
  if (namesOf(certificate).length > 0) return []
  return [problem('it has no subject alternative name, so no client accepts it', renewal)]
}

function namesOf({ subjectAltName }: X509Certificate): string[] {
  return (subjectAltName ?? '')
    .split(', ')
    .map((name) => name.replace(/^(DNS|IP Address):/, ''))
    .filter((name) => name !== '')
}
