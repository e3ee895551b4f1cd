/** How clients show a field; one that does not know the type shows a line of text (spec: Template structure). */
export const fieldTypes = [
  'text',
  'text-passwdgen',
  'textarea',
  'file',
  'dropdown',
  'countrycode',
  'progress',
  'date',
  'datetime',
] as const

export type FieldType = (typeof fieldTypes)[number]

/** One field of a form. */
export interface Field {
  /** The member of an object that holds the value: neither a number nor a name that objects use themselves. */
  readonly name: string
  readonly label: string
  readonly type: FieldType
  /** The value is sealed in the token, and shown only where it is asked for decrypted. */
  readonly encrypted: boolean
  /** Part of the normal view; else of the workbench alone. */
  readonly shown: boolean
  /** The value should honour the password policy of its vault. */
  readonly followsPolicy: boolean
  /** Decrypting it can raise an alarm. */
  readonly canAlarm: boolean
  /** May be empty or missing. */
  readonly optional: boolean
  /** A change is marked until a user has seen it. */
  readonly marksChanges: boolean
  /** Shown only on a click. */
  readonly needsClick: boolean
  /** The value may be logged. */
  readonly logged?: boolean
  /** What a dropdown offers. */
  readonly options?: readonly string[]
  readonly defaultOption?: string
  readonly placeholder?: string
}

/** A form: what an object of this kind is made of. */
export interface Template {
  /** Published ids, ids of ours below 1000, and above that those of the site. */
  readonly id: number
  readonly name: string
  /** One of the icons that published clients can draw, such as `ico_server`. */
  readonly icon: string
  /** Whether new objects may be made of it. */
  readonly active: boolean
  /** Objects may be edited in the workbench. */
  readonly workbench: boolean
  /** Objects are edited at once, and have nothing below them. */
  readonly editedDirectly?: boolean
  /** Saving leads back to the parent. */
  readonly jumpsToParent?: boolean
  readonly hidden?: boolean
  /** Objects hold a file: `*` for any, else extensions with commas between. */
  readonly file?: string
  /** In the order of the form. */
  readonly fields: readonly Field[]
}

/** Ids that the appliance itself or published clients know by number. */
export const templateIds = {
  folder: 2,
  file: 3,
  certificate: 31,
  certificateRequest: 32,
  pkcs12: 33,
  privateKey: 34,
  sshKey: 35,
  pgp: 36,
} as const

/** Templates of the site have ids above this one; the appliance's own never do. */
export const lastBuiltInId = 1000
