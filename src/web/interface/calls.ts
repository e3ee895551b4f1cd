import type { addresses, Operations } from '../../../clients/node/src/api.ts'
import { send, type Sent } from './transport.ts'

/** What a call of the operation answers when it succeeds. */
type AnswerOf<Operation extends keyof Operations> = Operations[Operation]['answer']

type Template = AnswerOf<'object.read'>['TEMPLATES'][number]
export type Field = Template['structure'][number]
export type StoredTemplate = Template
export type StoredObject = AnswerOf<'object.read'>['OBJECT'][number]
export type SharedVault = AnswerOf<'vault.list'>['VAULTS'][number]
export type VaultMember = NonNullable<AnswerOf<'vault.members'>['CALLINFO']>['vaultmembers'][number]
export type PasswordPolicy = NonNullable<AnswerOf<'utils.policies'>['CALLINFO']>['policies'][number]
export type FoundPerson = NonNullable<AnswerOf<'user.list'>['CALLINFO']>['users'][number]
export type TrailItem = AnswerOf<'audit.list'>['RECORDS'][number]
export type Contents = AnswerOf<'vault.read'>
export type ReadObject = AnswerOf<'object.read'>
export type LoginAnswer = AnswerOf<'auth.login'>['CALLINFO']
export type LoginBody = NonNullable<Operations['auth.login']['body']>

/** The operations that the console uses. An address that is not that of the interface's document does not compile. */
const used = {
  'auth.login': ['POST', '/auth'],
  'auth.logout': ['GET', '/auth/logout'],
  'auth.check.get': ['GET', '/auth/check'],
  'authinfo.logintypes': ['GET', '/authinfo/logintypes'],
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
  'object.delete': ['DELETE', '/object/{objectid}'],
  'object.read': ['GET', '/object/{objectid}'],
} as const satisfies {
  readonly [operation in keyof typeof addresses]?: readonly [
    (typeof addresses)[operation][0],
    (typeof addresses)[operation][1],
  ]
}

type Used = keyof typeof used
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
  /** Where the usual patience is not the right one. */
  readonly patienceMs?: number
}

/** Makes a call of the interface. @throws Refusal */
export async function call<Operation extends Used>(
  operation: Operation,
  { params, ...rest }: CallInput<Operation> = {},
): Promise<AnswerOf<Operation>> {
  const [method, template] = used[operation]
  const path = template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(String(Object.entries(params ?? {}).find(([known]) => known === name)?.[1])),
  )
  const sent = { method, path, ...rest }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a success answers what the document says
  return (await send(sent as Sent)) as unknown as AnswerOf<Operation>
}
