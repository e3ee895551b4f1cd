import { genesis, lineAfter, sha256 } from '../../src/audit/line.ts'

/** Writes the lines of an audit chain directly, with matching hashes, as an earlier release or an attacker would. */
export function createChainWriter(chain: string) {
  let end = genesis(chain)
  let text = ''
  return {
    add(type: 'event' | 'seal', body: string) {
      const line = lineAfter(end, chain, type, body)
      end = { seq: end.seq + 1, hash: sha256(line) }
      text += line
    },
    /** The end of the chain, which the next seal covers. */
    end: () => end,
    text: () => text,
  }
}
