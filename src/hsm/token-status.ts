export interface HostStatus {
  /** The unix socket of the host. */
  readonly socket: string
  /** Whether it makes RSA keys and does nothing else. */
  readonly isKeyMaker?: true
  readonly state: 'ready' | 'sealed' | 'down'
  /** Why it is not ready. */
  readonly reason?: string
  readonly token?: TokenStatus
  /** What the token can still hold, where that is known. */
  readonly room?: TokenRoom
}

export interface TokenRoom {
  /** The token's own memory, or the disk below a software token. */
  readonly kind: 'memory' | 'disk'
  readonly freeBytes: number
  readonly totalBytes: number
}

export interface TokenStatus {
  readonly label: string
  readonly serial: string
  readonly manufacturer: string
  readonly model: string
  readonly slot: number
  /** Names such as `AES_GCM`, sorted. */
  readonly mechanisms: readonly string[]
  /** Root objects, vault keys, and other keys that are objects of the token. */
  readonly objects: {
    readonly root: readonly string[]
    readonly vaultKeys: number
    readonly residentKeys: number
    /** Keys that stand there twice: copies, which no command of ours makes. */
    readonly copies: number
    /** Objects that Strongroom did not make. */
    readonly others: number
    /** Root and vault keys that allow the PIN more than a new one does. */
    readonly weaknesses: readonly {
      readonly label: string
      readonly count: number
      readonly lacks: readonly string[]
    }[]
    /** Labels of the strict and backup KEKs from under which keys come readable, for want of an unwrap template. */
    readonly readableKeks: readonly string[]
  }
  readonly sessions: { readonly open: number; readonly max: number }
  /** Unwrapped keys held at the moment, and the bound. */
  readonly handles: { readonly held: number; readonly limit: number }
  /** Grows by one whenever the token was initialised anew; handles of an older epoch are never used. */
  readonly epoch: number
  /** Results of the start-up conformance probe: name → passed or the reason why not. */
  readonly conformance: Readonly<Record<string, string>>
}
