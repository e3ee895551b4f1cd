import { genesis, lineAfter, sha256 } from '../../src/audit/line.ts'

/** Writes the lines of an audit chain by hand, with hashes that fit: what an earlier release or an attacker wrote. */
export function createChainWriter(chain: string) {
  let end = genesis(chain)
  let text = ''
  return {
    add(type: 'event' | 'seal', body: string) {
      const line = lineAfter(end, chain, type, body)
      end = { seq: end.seq + 1, hash: sha256(line) }
      text += line
    },
    /** What a seal that comes next covers. */
    end: () => end,
    text: () => text,
  }
}
