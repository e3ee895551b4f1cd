import { templateIds, type Field, type Template } from './template.ts'

type Traits = Partial<Omit<Field, 'name' | 'label'>>

const plain = {
  type: 'text',
  encrypted: false,
  shown: true,
  followsPolicy: false,
  canAlarm: false,
  optional: false,
  marksChanges: false,
  needsClick: false,
} as const

const optional: Traits = { optional: true }
const secret: Traits = { encrypted: true, canAlarm: true, marksChanges: true, needsClick: true }
const passwordTraits: Traits = { ...secret, type: 'text-passwdgen', followsPolicy: true }

const field = (name: string, label: string, ...traits: Traits[]): Field =>
  Object.assign({ name, label, ...plain }, ...traits)

const username = field('username', 'Username')
const password = field('password', 'Password', passwordTraits)
const info = field('info', 'Information', optional, { type: 'textarea' })
const cryptedInfo = field('cryptedinfo', 'Encrypted information', secret, optional, { type: 'textarea', shown: false })
const file = field('file1', 'File', { type: 'file' })
/** The pass phrase of an uploaded file. The vault's password policy does not apply to it. */
const filePassword = field('password', 'Password', passwordTraits, optional, { followsPolicy: false })
const pin = (traits: Traits): Field =>
  field('pincode', 'PIN code', secret, { type: 'text-passwdgen', followsPolicy: false }, traits)
const algorithm = field('algorithm', 'Algorithm', optional)
const keyLength = field('keylength', 'Key length', optional)
const certificateFields = [
  field('cn', 'Common name', optional),
  field('issuer', 'Issuer', optional),
  field('validfrom', 'Valid from', optional),
  field('validto', 'Valid to', optional),
  algorithm,
  keyLength,
  field('keyusage', 'Key usage', optional),
  field('altnamedns', 'Alternative names (DNS)', optional),
]
const fingerprint = field('fingerprint', 'Fingerprint', optional)

type Info = Partial<Omit<Template, 'id' | 'name' | 'icon' | 'fields'>>

const template = (id: number, name: string, icon: string, fields: readonly Field[], more: Info = {}): Template => ({
  id,
  name,
  icon,
  active: true,
  workbench: true,
  ...more,
  fields,
})

const holds = (extensions: string): Info => ({ jumpsToParent: true, file: extensions })

/**
 * The templates of every appliance, by id. Ids and fields up to 20 are those that published clients know. Those above
 * are ours: kinds of uploaded files, and a login with the seed of its one-time codes.
 */
export const builtInTemplates: readonly Template[] = [
  template(1, 'Server', 'ico_server', [
    field('host', 'Host'),
    field('username', 'Username', { logged: true }),
    password,
    info,
    cryptedInfo,
  ]),
  template(templateIds.folder, 'Folder', 'ico_folder', [field('name', 'Name'), info]),
  template(
    templateIds.file,
    'File',
    'ico_file',
    [file, field('description', 'Description', optional, { type: 'textarea' })],
    holds('*'),
  ),
  template(4, 'Login', 'ico_server', [field('host', 'Host / IP'), username, password]),
  template(5, 'Quicknote', 'ico_quicknote', [
    field('name', 'Name'),
    field('note', 'Note', secret, { type: 'textarea' }),
  ]),
  template(
    8,
    'Note',
    'ico_note',
    [field('name', 'Name'), field('note', 'Note', secret, optional, { type: 'textarea' })],
    { workbench: false, editedDirectly: true, jumpsToParent: true },
  ),
  template(9, 'PIN code', 'ico_pin', [field('name', 'Name'), pin({}), info]),
  template(10, 'Short login', 'ico_person', [username, password]),
  template(11, 'Credit Card', 'ico_ccard', [
    field('service', 'Service'),
    field('cardno', 'Card number', secret),
    field('expires', 'Expires', optional),
    field('cvc', 'CVC', secret, optional),
    field('owner', 'Owner', optional),
    pin(optional),
    field('note1', 'Note 1', optional),
    field('note2', 'Note 2', optional),
  ]),
  template(20, 'Login Info', 'ico_server', [field('name', 'Name'), field('url', 'URL', optional), username, password]),
  template(
    templateIds.certificate,
    'X.509 certificate',
    'ico_certfolder',
    [file, ...certificateFields, info],
    holds('crt,cer,pem,der'),
  ),
  template(
    templateIds.certificateRequest,
    'Certificate request',
    'ico_certfolder',
    [
      file,
      field('cn', 'Common name', optional),
      algorithm,
      keyLength,
      field('altnamedns', 'Alternative names (DNS)', optional),
      info,
    ],
    holds('csr,req,p10,pem,der'),
  ),
  template(
    templateIds.pkcs12,
    'PKCS#12 key store',
    'ico_certfolder',
    [file, ...certificateFields, fingerprint, filePassword, info],
    holds('p12,pfx'),
  ),
  template(
    templateIds.privateKey,
    'Private key',
    'ico_file',
    [file, algorithm, keyLength, filePassword, info],
    holds('key,pem,der,p8,pk8'),
  ),
  template(
    templateIds.sshKey,
    'SSH key',
    'ico_file',
    [file, algorithm, fingerprint, field('comment', 'Comment', optional), filePassword, info],
    holds('*'),
  ),
  template(
    templateIds.pgp,
    'OpenPGP file',
    'ico_file',
    [file, field('content', 'Content', optional), filePassword, info],
    holds('asc,gpg,pgp,sig'),
  ),
  // A template of its own and not a field of Login Info, because csv-importer sends null for each column of a template
  // that its file lacks.
  template(37, 'Login with one-time code', 'ico_server', [
    field('name', 'Name'),
    field('url', 'URL', optional),
    username,
    password,
    field('totp', 'One-time code seed', secret, optional),
    info,
    cryptedInfo,
  ]),
]
