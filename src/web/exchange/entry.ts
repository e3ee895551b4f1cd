/** One entry of an import file, independent of the program that wrote it. */
export interface Entry {
  /** Place in the file: number of the row or item. */
  readonly at: number
  /** Names of its folders, from the outermost. */
  readonly folders: readonly string[]
  readonly name: string
  readonly username: string
  readonly password: string
  readonly url: string
  /** Source of one-time codes: an `otpauth:` address, or the Base32 seed. */
  readonly totp: string
  readonly notes: string
  /** Values for which templates have no field. */
  readonly more: readonly { readonly label: string; readonly value: string }[]
  readonly card?: Card
  readonly files?: readonly AttachedFile[]
  readonly isFavourite?: boolean
}

export interface AttachedFile {
  readonly name: string
  readonly content: ArrayBuffer
}

export interface Card {
  readonly number: string
  readonly expires: string
  readonly code: string
  readonly owner: string
}

/** Why a row or item is not imported. */
export type Defect = 'empty' | 'columns' | 'quotes' | 'form'

export interface Defective {
  readonly at: number
  readonly why: Defect
}

/** The contents of an import file. */
export interface ReadFile {
  readonly entries: readonly Entry[]
  readonly defects: readonly Defective[]
  /** Number of attached files that are left out, because all together are too large. */
  readonly leftFiles?: number
  /** Number of earlier passwords, which are not imported. */
  readonly leftPasswords?: number
}

/** Why a file cannot be read at all. */
export type Unreadable = 'size' | 'count' | 'form' | 'passphrase' | 'key' | 'keyFile' | 'cost' | 'kdf' | 'account'

export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
  readonly why: Unreadable
  constructor(why: Unreadable, cause?: unknown) {
    super(why, { cause })
    this.why = why
  }
}

export const mostBytes = 32 * 1024 * 1024
export const mostEntries = 20_000
/** Limit for all attached files together. */
export const mostAttachedBytes = 128 * 1024 * 1024

export const blankEntry = {
  folders: [],
  name: '',
  username: '',
  password: '',
  url: '',
  totp: '',
  notes: '',
  more: [],
} as const

/** Whether an entry is empty. */
export const isBlank = ({ name, username, password, url, totp, notes, more, card }: Entry): boolean =>
  [name, username, password, url, totp, notes, ...more.map(({ value }) => value)].every((text) => text.trim() === '') &&
  card === undefined
