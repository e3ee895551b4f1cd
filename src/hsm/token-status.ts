export interface HostStatus {
  /** The unix socket of the host. */
  readonly socket: string
  /** Whether it makes RSA keys and does nothing else. */
  readonly isKeyMaker?: true
  readonly state: 'ready' | 'sealed' | 'down'
  /** Why it is not ready. */
  readonly reason?: string
  readonly token?: TokenStatus
  /** The free room of the token, or of the disk of the keeper's files; undefined where it is not known. */
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
    /** Labels of the root keys that are used for new keys, seals and checks. */
    readonly newest: readonly string[]
    readonly vaultKeys: number
    readonly residentKeys: number
    /** Number of copies of keys, which no command of Strongroom makes. */
    readonly copies: number
    /** Objects that Strongroom did not make. */
    readonly others: number
    /** Root and vault keys that lack limits which new ones have. */
    readonly weaknesses: readonly {
      readonly label: string
      readonly count: number
      readonly lacks: readonly string[]
    }[]
    /** Labels of strict and backup KEKs without an unwrap template, which let the PIN read the keys that they wrap. */
    readonly readableKeks: readonly string[]
  }
  readonly sessions: { readonly open: number; readonly max: number }
  /** Number of unwrapped keys in the cache now, and its limit. */
  readonly handles: { readonly held: number; readonly limit: number }
  /** Increases by one with each initialisation of the module; handles of an older epoch are never used. */
  readonly epoch: number
  /** Results of the conformance probe: the name of each check with `passed` or the reason why it failed. */
  readonly conformance: Readonly<Record<string, string>>
}
