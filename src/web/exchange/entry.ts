/** What a file says of one thing that a person keeps, whatever program wrote it. */
export interface Entry {
  /** Where it stands in the file: the number of its row, or of the item. */
  readonly at: number
  /** Names of the folders that it lies in, from the outermost. */
  readonly folders: readonly string[]
  readonly name: string
  readonly username: string
  readonly password: string
  readonly url: string
  /** What codes of a login are made of: an `otpauth` address, or the seed alone. */
  readonly totp: string
  readonly notes: string
  /** What no field of a template is for. */
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

/** Why something in a file becomes nothing. */
export type Defect = 'empty' | 'columns' | 'quotes' | 'form'

export interface Defective {
  readonly at: number
  readonly why: Defect
}

/** A file as it was read. */
export interface ReadFile {
  readonly entries: readonly Entry[]
  readonly defects: readonly Defective[]
  /** How many files that are attached to entries were too large together. */
  readonly leftFiles?: number
  /** How many passwords entries had before. */
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
/** Of all attached files together. */
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

/** Whether there is nothing to keep. */
export const isBlank = ({ name, username, password, url, totp, notes, more, card }: Entry): boolean =>
  [name, username, password, url, totp, notes, ...more.map(({ value }) => value)].every((text) => text.trim() === '') &&
  card === undefined
