import { random } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import type { KeeperState } from './keeper-state.ts'

/** In the order in which they are told: what is good for the shortest time waits for nothing else. */
export const kinds = ['assertion', 'otp', 'session', 'floor'] as const
/** What is told. */
export type Kind = (typeof kinds)[number]

export const nothingTold = { assertion: 0, otp: 0, session: 0, floor: 0 }

/** Of this machine. Its batches form a chain: each names the hash of the one before. */
export interface Own {
  readonly machine: string
  readonly number: number
  readonly hash: string
  /** The batch with which everything was begun to be told anew: older ones are needed no more once all of it is told. */
  readonly base: number
  readonly isWhole: boolean
  readonly epoch: number
  readonly toldAt: number
  readonly told: Readonly<Record<Kind, number>>
  readonly batch: { readonly record: string; readonly seal: string } | null
}

interface Other {
  readonly name: string
  readonly number: number
  readonly hash: string
  readonly toldAt: number
}

const faultsKept = 20

export type ExchangeMemory = ReturnType<typeof openExchangeMemory>

/** In the keeper's file; each part is one row, written as a whole. */
export function openExchangeMemory({
  token,
  state,
  report,
}: {
  readonly token: Token
  readonly state: KeeperState
  readonly report: (sentence: string) => void
}) {
  state.exec('CREATE TABLE IF NOT EXISTS exchange (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID')
  const find = state.prepare<[string], string>('SELECT value FROM exchange WHERE name = ?').pluck()
  const list = state.prepare<[], { readonly name: string; readonly value: string }>(
    "SELECT name, value FROM exchange WHERE name LIKE 'machine %'",
  )
  const keep = state.prepare(
    'INSERT INTO exchange (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )
  const put = (name: string, value: object) => void keep.run(name, JSON.stringify(value))
  const get = (name: string) => JSON.parse(find.get(name) ?? 'null')
  const faults = (): string[] => get('faults') ?? []

  return {
    own(): Own {
      const own: Own | null = get('own')
      // An earlier release told fewer kinds.
      if (own !== null) return { ...own, told: { ...nothingTold, ...own.told } }
      const machine = random(token, 16).toString('hex')
      const first = { machine, number: 0, hash: '', base: 1, isWhole: false, epoch: 0, toldAt: 0, batch: null }
      put('own', { ...first, told: nothingTold })
      return { ...first, told: nothingTold }
    },
    keepOwn: (own: Own) => put('own', own),
    /** Null for a machine that is not known. */
    other: (machine: string): Other | null => get(`machine ${machine}`),
    others: () =>
      list.all().map(({ name, value }): [string, Other] => [name.slice('machine '.length), JSON.parse(value)]),
    /** They are known anew from what the database holds of them. */
    forgetOthers: () => state.exec("DELETE FROM exchange WHERE name LIKE 'machine %'"),
    keepOther: (machine: string, other: Other) => put(`machine ${machine}`, other),
    faults,
    /** Each once, until they are forgotten. */
    note(fault: string) {
      const known = faults()
      if (known.includes(fault)) return
      put('faults', [...known, fault].slice(-faultsKept))
      report(fault)
    },
    forgetFaults: () => put('faults', []),
  }
}
