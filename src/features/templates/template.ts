/** How clients show a field. A client that does not know a type shows a line of text (spec: Template structure). */
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

/** A field of a template. */
export interface Field {
  /** The member of an object that holds the value. Not a number, and not a name that objects use themselves. */
  readonly name: string
  readonly label: string
  readonly type: FieldType
  /** Whether the value is encrypted in the token, and shown only on request. */
  readonly encrypted: boolean
  /** Whether the normal view shows it; otherwise only the workbench does. */
  readonly shown: boolean
  /** Whether the value should comply with the password policy of its vault. */
  readonly followsPolicy: boolean
  /** Whether decrypting it can raise an alarm. */
  readonly canAlarm: boolean
  /** Whether it may be empty or missing. */
  readonly optional: boolean
  /** Whether a change is highlighted until a user has seen it. */
  readonly marksChanges: boolean
  /** Whether it is shown only after a click. */
  readonly needsClick: boolean
  /** Whether the value may be logged. */
  readonly logged?: boolean
  /** The choices of a dropdown. */
  readonly options?: readonly string[]
  readonly defaultOption?: string
  readonly placeholder?: string
}

/** A template: the fields that objects of one kind have. */
export interface Template {
  /** Published ids, our own ids up to 1000, and ids of the site above that. */
  readonly id: number
  readonly name: string
  /** One of the icons of published clients, such as `ico_server`. */
  readonly icon: string
  /** Whether new objects may be created from it. */
  readonly active: boolean
  /** Whether objects may be edited in the workbench. */
  readonly workbench: boolean
  /** Whether objects are edited directly and have no children. */
  readonly editedDirectly?: boolean
  /** Whether clients return to the parent after saving. */
  readonly jumpsToParent?: boolean
  readonly hidden?: boolean
  /** The files that objects hold: `*` for any, otherwise extensions separated by commas. */
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

/** Templates of the site have greater ids than this; built-in ones never do. */
export const lastBuiltInId = 1000
