import { isIPv4, isIPv6 } from 'node:net'
import { isRefusal } from './record-filter.ts'
import type { TrailRecord } from './trail-record.ts'

/**
 * A record in the Common Event Format, version 0 (by ArcSight, read by SIEMs): the header, then the record's fields
 * under the names of that format. `release` is the version of this program.
 */
export function cefOf(record: TrailRecord, release: string): string {
  const { operation, outcome, address, vault, key, keyVersion } = record
  const header = ['CEF:0', 'Strongroom', 'strongroom', release, operation, operation, severityOf(record)]
  const members: [name: string, value: string | number | undefined][] = [
    ['rt', record.at],
    ['outcome', outcome],
    ['suser', record.username],
    ['suid', record.userId],
    ['src', address !== undefined && isIPv4(address) ? address : undefined],
    ...labelled('c6a2', 'Source IPv6 Address', address !== undefined && isIPv6(address) ? address : undefined),
    ['externalId', record.requestId === '' ? undefined : record.requestId],
    ...labelled('cs1', 'vault', vault),
    ...labelled('cs2', 'key', key),
    ...labelled('cn1', 'keyVersion', keyVersion),
    ...labelled('cs3', 'chain', record.chain),
    ...labelled('cn2', 'seq', record.seq),
    ...labelled('cn3', 'sessionId', record.sessionId),
    ...labelled('cs4', 'applicationKeyId', record.applicationKeyId),
    ['cnt', record.count],
    ['msg', record.subject],
  ]
  const extension = members.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${escaped(value)}`]))
  return `${header.map((part) => part.replace(/[\\|]/g, String.raw`\$&`)).join('|')}|${extension.join(' ')}`
}

const labelled = (name: string, label: string, value: string | number | undefined) =>
  [
    [`${name}Label`, value === undefined ? undefined : label],
    [name, value],
  ] as [string, string | number | undefined][]

/** CEF severity, from 0 to 10. */
function severityOf(record: TrailRecord): string {
  if (record.outcome === 'noted') return '5'
  return isRefusal(record) ? '6' : '3'
}

const escaped = (value: string | number): string =>
  String(value)
    .replace(/[\\=]/g, String.raw`\$&`)
    .replace(/\r?\n|\r/g, String.raw`\n`)
