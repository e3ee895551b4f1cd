import type { addresses, Operations } from '../../../clients/node/src/api.ts'
import { outcomeOf, send, type Sent } from './transport.ts'
import { sendForm, type FormFile } from './form-upload.ts'

/** The answer of an operation that succeeds. */
type AnswerOf<Operation extends keyof Operations> = Operations[Operation]['answer']

type Template = AnswerOf<'object.read'>['TEMPLATES'][number]
export type Field = Template['structure'][number]
export type StoredTemplate = Template
export type ListedFavourites = AnswerOf<'object.favourites'>
export type ListedTags = AnswerOf<'object.tags'>
export type TrashedObject = AnswerOf<'object.trash'>['TRASH'][number]
export type StoredObject = AnswerOf<'object.read'>['OBJECT'][number]
export type EarlierVersion = AnswerOf<'object.history'>['HISTORY'][number]
export type SharedVault = AnswerOf<'vault.list'>['VAULTS'][number]
export type VaultMember = NonNullable<AnswerOf<'vault.members'>['CALLINFO']>['vaultmembers'][number]
export type PasswordPolicy = NonNullable<AnswerOf<'utils.policies'>['CALLINFO']>['policies'][number]
export type FoundPerson = NonNullable<AnswerOf<'user.list'>['CALLINFO']>['users'][number]
export type TrailItem = AnswerOf<'audit.list'>['RECORDS'][number]
export type Contents = AnswerOf<'vault.read'>
export type ReadObject = AnswerOf<'object.read'>
/** A user with all members that administrators see. */
export type AdministeredUser = Extract<FoundPerson, { username: string }>
export type OtpDevice = NonNullable<AnswerOf<'user.otp.list'>['CALLINFO']>['otpdevices'][number]
export type OpenSession = NonNullable<AnswerOf<'user.sessions'>['CALLINFO']>['sessions'][number]
export type ReadState = NonNullable<AnswerOf<'utils.state'>['CALLINFO']>
export type ServiceAccount = NonNullable<AnswerOf<'service.read'>['CALLINFO']>['service']
export type CredentialBody = NonNullable<Operations['service.credential.add']['body']>
export type ListedTemplate = AnswerOf<'template.list'>['TEMPLATE'][number]
export type LoginAnswer = AnswerOf<'auth.login'>['CALLINFO']
export type ListedLink = AnswerOf<'link.list'>['CALLINFO']['links'][number]
export type LoginBody = NonNullable<Operations['auth.login']['body']>
export type LoginChallenge = NonNullable<AnswerOf<'auth.challenge'>['CALLINFO']>
export type OwnChallenge = NonNullable<AnswerOf<'me.challenge'>['CALLINFO']>
export type PasskeyRegistrationBody = NonNullable<Operations['me.passkey.register']['body']>
export type ListedPasskey = NonNullable<AnswerOf<'user.passkey.list'>['CALLINFO']>['passkeys'][number]
export type ListedKey = AnswerOf<'transparent.key.list'>['KEYS'][number]
export type VaultKeyRules = Pick<
  AnswerOf<'transparent.key.list'>['CALLINFO'],
  'recovery_window' | 'create_on_encrypt' | 'signing_permission' | 'strict'
>
export type ReadKey = AnswerOf<'transparent.key.read'>
export type ShownVersion = ReadKey['VERSIONS'][number]
export type OfferedType = AnswerOf<'transparent.types'>['TYPES'][number]
export type NewKeyBody = NonNullable<Operations['transparent.key.create']['body']>
export type ImportJob = AnswerOf<'transparent.import.job'>['CALLINFO']

/** The operations that the console uses. An address that differs from the OpenAPI document does not compile. */
const used = {
  'auth.login': ['POST', '/auth'],
  'auth.logout': ['GET', '/auth/logout'],
  'auth.challenge': ['POST', '/auth/challenge'],
  'authinfo.smcuser': ['GET', '/authinfo/smcuser'],
  'authinfo.logintypes': ['GET', '/authinfo/logintypes'],
  'auth.passphrase': ['PUT', '/auth/passphrase'],
  'me.read': ['GET', '/me'],
  'me.email': ['PUT', '/me/email'],
  'me.sessions.end': ['DELETE', '/me/sessions'],
  'me.otp.begin': ['POST', '/me/otp'],
  'me.otp.adopt': ['POST', '/me/otp/adopt'],
  'me.otp.activate': ['POST', '/me/otp/{deviceid}/activate'],
  'me.otp.remove': ['DELETE', '/me/otp/{deviceid}'],
  'me.challenge': ['POST', '/me/challenge'],
  'me.passkey.register': ['POST', '/me/passkeys'],
  'me.passkey.rename': ['PUT', '/me/passkeys/{passkeyid}'],
  'me.passkey.remove': ['DELETE', '/me/passkeys/{passkeyid}'],
  'user.passkey.list': ['GET', '/user/{userid}/passkeys'],
  'user.passkey.remove': ['DELETE', '/user/{userid}/passkeys/{passkeyid}'],
  'usercert.read': ['GET', '/usercert'],
  'vault.list': ['GET', '/vault'],
  'vault.read': ['GET', '/vault/{vaultid}'],
  'vault.create': ['POST', '/vault'],
  'vault.edit': ['PUT', '/vault/{vaultid}'],
  'vault.delete': ['DELETE', '/vault/{vaultid}'],
  'vault.members': ['GET', '/vault/{vaultid}/members'],
  'vault.member.add': ['POST', '/vault/{vaultid}/member/{userid}'],
  'vault.member.change': ['PUT', '/vault/{vaultid}/member/{userid}'],
  'vault.member.remove': ['DELETE', '/vault/{vaultid}/member/{userid}'],
  'vault.member.confirm': ['POST', '/vault/{vaultid}/member/{userid}/confirm'],
  'user.list': ['GET', '/user'],
  'utils.policies': ['GET', '/utils/policies'],
  'audit.list': ['GET', '/audit'],
  'object.find': ['GET', '/find'],
  'object.move': ['POST', '/object/{objectid}/move'],
  'object.copy': ['POST', '/object/{objectid}/copy'],
  'object.delete': ['DELETE', '/object/{objectid}'],
  'object.trash': ['GET', '/vault/{vaultid}/trash'],
  'object.undelete': ['POST', '/object/{objectid}/undelete'],
  'object.read': ['GET', '/object/{objectid}'],
  'object.favourites': ['GET', '/favourites'],
  'object.favourite': ['PUT', '/object/{objectid}/favourite'],
  'object.favourite.clear': ['DELETE', '/object/{objectid}/favourite'],
  'object.tags': ['GET', '/tags'],
  'object.tags.set': ['PUT', '/object/{objectid}/tags'],
  'user.read': ['GET', '/user/{userid}'],
  'user.create': ['POST', '/user'],
  'user.edit': ['PUT', '/user/{userid}'],
  'user.disable': ['DELETE', '/user/{userid}'],
  'user.passphrase': ['PUT', '/user/{userid}/passphrase'],
  'user.sessions': ['GET', '/user/{userid}/sessions'],
  'user.sessions.end': ['DELETE', '/user/{userid}/sessions'],
  'user.session.end': ['DELETE', '/user/{userid}/sessions/{sessionid}'],
  'user.otp.list': ['GET', '/user/{userid}/otp'],
  'user.otp.enrol': ['POST', '/user/{userid}/otp'],
  'user.otp.remove': ['DELETE', '/user/{userid}/otp/{deviceid}'],
  'user.otp.resync': ['PUT', '/user/{userid}/otp/{deviceid}/resync'],
  'usercert.readany': ['GET', '/usercert/{userid}'],
  'usercert.add': ['POST', '/usercert/{userid}'],
  'usercert.remove': ['DELETE', '/usercert/{userid}'],
  'service.list': ['GET', '/service'],
  'service.read': ['GET', '/service/{serviceid}'],
  'service.create': ['POST', '/service'],
  'service.change': ['PUT', '/service/{serviceid}'],
  'service.remove': ['DELETE', '/service/{serviceid}'],
  'service.credential.add': ['POST', '/service/{serviceid}/credential'],
  'service.credential.remove': ['DELETE', '/service/{serviceid}/credential/{credentialid}'],
  'template.list': ['GET', '/template'],
  'utils.state': ['GET', '/utils/state'],
  'object.create': ['POST', '/object'],
  'object.edit': ['PUT', '/object/{objectid}'],
  'object.history': ['GET', '/object/{objectid}/history'],
  'object.history.read': ['GET', '/object/{objectid}/history/{version}'],
  'object.alarm': ['PUT', '/object/{objectid}/alarm'],
  'file.collect': ['POST', '/filecollect'],
  'utils.pwgen': ['GET', '/utils/pwgen'],
  'utils.mimetype': ['POST', '/utils/get_mime_type'],
  'link.create': ['POST', '/link'],
  'link.list': ['GET', '/link'],
  'link.open': ['POST', '/link/open'],
  'link.revoke': ['DELETE', '/link/{linkid}'],
  'transparent.types': ['GET', '/transparent/types'],
  'transparent.key.list': ['GET', '/transparent/{vaultid}/keys'],
  'transparent.key.create': ['POST', '/transparent/{vaultid}/keys/{name}'],
  'transparent.key.read': ['GET', '/transparent/{vaultid}/keys/{name}'],
  'transparent.key.update': ['PUT', '/transparent/{vaultid}/keys/{name}'],
  'transparent.key.delete': ['DELETE', '/transparent/{vaultid}/keys/{name}'],
  'transparent.key.takeback': ['POST', '/transparent/{vaultid}/keys/{name}/undelete'],
  'transparent.key.rotate': ['POST', '/transparent/{vaultid}/keys/{name}/rotate'],
  'transparent.key.trim': ['POST', '/transparent/{vaultid}/keys/{name}/trim'],
  'transparent.key.version': ['PUT', '/transparent/{vaultid}/keys/{name}/versions/{version}'],
  'transparent.settings': ['PUT', '/transparent/{vaultid}/settings'],
  'transparent.encrypt': ['POST', '/transparent/{vaultid}/encrypt/{name}'],
  'transparent.decrypt': ['POST', '/transparent/{vaultid}/decrypt/{name}'],
  'transparent.rewrap': ['POST', '/transparent/rewrap/{vaultid}/{name}'],
  'transparent.datakey': ['POST', '/transparent/{vaultid}/datakey/{type}/{name}'],
  'transparent.sign': ['POST', '/transparent/{vaultid}/sign/{name}'],
  'transparent.verify': ['POST', '/transparent/{vaultid}/verify/{name}'],
  'transparent.hmac': ['POST', '/transparent/{vaultid}/hmac/{name}'],
  'transparent.random': ['POST', '/transparent/random'],
  'transparent.hash': ['POST', '/transparent/hash'],
  'transparent.backup': ['GET', '/transparent/backup/{vaultid}/{name}'],
  'transparent.restore': ['POST', '/transparent/restore/{vaultid}/{name}'],
  'transparent.export': ['GET', '/transparent/export/{vaultid}/{name}'],
  'transparent.import.job': ['POST', '/transparent/import_job/{vaultid}/{name}'],
  'transparent.import': ['POST', '/transparent/import/{vaultid}/{name}'],
} as const satisfies {
  readonly [operation in keyof typeof addresses]?: readonly [
    (typeof addresses)[operation][0],
    (typeof addresses)[operation][1],
  ]
}

type Used = keyof typeof used

/** The operations besides those of GET that change nothing which a view shows. */
const unchanging: ReadonlySet<Used> = new Set<Used>([
  'auth.login',
  'auth.challenge',
  'me.otp.begin',
  'me.challenge',
  'file.collect',
  'utils.mimetype',
  'transparent.encrypt',
  'transparent.decrypt',
  'transparent.rewrap',
  'transparent.datakey',
  'transparent.sign',
  'transparent.verify',
  'transparent.hmac',
  'transparent.random',
  'transparent.hash',
  'transparent.import.job',
])
type PartOf<Operation extends Used, Part extends string> = Operations[Operation] extends {
  readonly [part in Part]?: infer Value
}
  ? Value
  : never

export interface CallInput<Operation extends Used> {
  readonly params?: PartOf<Operation, 'params'>
  readonly query?: PartOf<Operation, 'query'>
  readonly body?: PartOf<Operation, 'body'>
  readonly signal?: AbortSignal
  /** Sends the body as a form with this file, and not as JSON. */
  readonly file?: File
  /** Milliseconds until the call is given up, where the default is too short or too long. */
  readonly patienceMs?: number
}

/** Calls an operation of the interface. @throws Refusal */
export async function call<Operation extends Used>(
  operation: Operation,
  { params, ...rest }: CallInput<Operation> = {},
): Promise<AnswerOf<Operation>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the operation's own query and body
  const sent = { ...addressOf(operation, params), ...rest } as Sent
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a success answers what the document says
  return (await outcomeOf(sent, send(sent))) as unknown as AnswerOf<Operation>
}

/** Calls an operation with a form and a file, and reports the progress of the upload. @throws Refusal */
export async function callWithFile<Operation extends Used>(
  operation: Operation,
  { params, body, signal }: Pick<CallInput<Operation>, 'params' | 'body' | 'signal'>,
  file: FormFile,
): Promise<AnswerOf<Operation>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the operation's own body
  const sent = { ...addressOf(operation, params), body, signal } as Sent
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a success answers what the document says
  return (await outcomeOf(sent, sendForm(sent, file))) as unknown as AnswerOf<Operation>
}

function addressOf(operation: Used, params: unknown): Pick<Sent, 'method' | 'path' | 'isChange'> {
  const [method, template] = used[operation]
  const path = template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(String(Object.entries(params ?? {}).find(([known]) => known === name)?.[1])),
  )
  return { method, path, isChange: method !== 'GET' && !unchanging.has(operation) }
}
