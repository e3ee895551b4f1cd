import { random } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import type { KeeperState } from './keeper-state.ts'

/** The kinds of news, in the order of reporting: those valid for the shortest time first. */
export const kinds = ['assertion', 'otp', 'session', 'floor'] as const
/** What is told. */
export type Kind = (typeof kinds)[number]

export const nothingTold = { assertion: 0, otp: 0, session: 0, floor: 0 }

/** The state of this machine. Its batches form a chain: each contains the hash of the one before. */
export interface Own {
  readonly machine: string
  readonly number: number
  readonly hash: string
  /**
   * The first batch of the present round, which reports everything again. Older batches are not needed once the round
   * is complete.
   */
  readonly base: number
  /** The batch of this round by which everything was reported; null until then. */
  readonly wholeAt: number | null
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

const mostFaults = 20

export type ExchangeMemory = ReturnType<typeof openExchangeMemory>

/** Stored in the keeper's file. Each part is one row, written as a whole. */
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
      // An earlier release reported fewer kinds, and did not note when everything was reported.
      if (own !== null) return { ...own, wholeAt: own.wholeAt ?? null, told: { ...nothingTold, ...own.told } }
      const machine = random(token, 16).toString('hex')
      const first = { machine, number: 0, hash: '', base: 1, wholeAt: null, epoch: 0, toldAt: 0, batch: null }
      put('own', { ...first, told: nothingTold })
      return { ...first, told: nothingTold }
    },
    keepOwn: (own: Own) => put('own', own),
    /** Null for an unknown machine. */
    other: (machine: string): Other | null => get(`machine ${machine}`),
    others: () =>
      list.all().map(({ name, value }): [string, Other] => [name.slice('machine '.length), JSON.parse(value)]),
    /** Forgets the other machines: they are read again from the database. */
    forgetOthers: () => state.exec("DELETE FROM exchange WHERE name LIKE 'machine %'"),
    keepOther: (machine: string, other: Other) => put(`machine ${machine}`, other),
    faults,
    /** Notes each fault once, and no more than `mostFaults`: a keeper in an attacker's hands makes as many as it likes. */
    note(fault: string) {
      const known = faults()
      if (known.includes(fault) || known.length >= mostFaults) return
      put('faults', [...known, fault])
      report(fault)
    },
    forgetFaults: () => put('faults', []),
  }
}
