import type { AnyEndpoint } from '../../../src/http/contract/endpoint.ts'
import {
  inputSchema,
  isSchema,
  membersOf,
  type Member,
  type Schema,
} from '../../../src/http/contract/openapi-schemas.ts'
import type { GoodCall } from './good-calls.ts'
import { hostileJson, hostileLookalikes, hostileSegments, hostileTexts } from './hostile-values.ts'
import { permits } from './published-schema.ts'

export type Form = 'query' | 'json' | 'urlencoded' | 'multipart'
type Members = Readonly<Record<string, unknown>>

/** A defect of an otherwise valid call. */
export interface Try {
  readonly field: string
  readonly what: string
  /** Undefined where the call may accept or refuse it. */
  readonly verdict: 'refused' | 'taken' | undefined
  readonly form: Form
  readonly spoil: (good: GoodCall) => GoodCall
}

/**
 * All defects of each field of a call. `foreign`: ids of things of another user, by the names of fields that could
 * contain them.
 */
export function triesOf(contract: AnyEndpoint, good: GoodCall, foreign: Readonly<Record<string, string>>): Try[] {
  const forms = formsOf(contract, good)
  return [
    ...forms.map((form): Try => ({
      field: 'unknown',
      what: 'added',
      verdict: 'taken',
      form,
      spoil: atTop('unknown', 'x'),
    })),
    ...forms.flatMap((form) => triesOfMembers(form, fieldsOf(contract, good), good.members ?? {}, foreign, atTop)),
    ...membersOf(inputSchema(contract.params)).flatMap((field) =>
      triesOfSegment(contract, field, good.params?.[field.name] ?? '', foreign),
    ),
  ]
}

function formsOf({ method }: AnyEndpoint, { members = {}, file }: GoodCall): Form[] {
  if (method === 'GET') return ['query']
  if (file !== undefined) return ['multipart']
  return Object.values(members).some((value) => typeof value === 'object') ? ['json'] : ['json', 'urlencoded']
}

/** The members in the document, and the fields of a template. */
function fieldsOf({ body }: AnyEndpoint, { members = {} }: GoodCall): Member[] {
  const listed = membersOf(inputSchema(body))
  const others = Object.keys(members).filter((name) => !listed.some((member) => member.name === name))
  return [...listed, ...others.map((name) => ({ name, required: false, schema: {} }))]
}

type Put = (name: string, value: unknown) => (good: GoodCall) => GoodCall

const atTop: Put = (name, value) => (good) => ({ ...good, members: changed(good.members ?? {}, name, value) })

const inFirstOf =
  (list: string): Put =>
  (name, value) =>
  (good) => {
    const [first, ...rest] = itemsOf(good.members?.[list])
    return atTop(list, [changed(first ?? {}, name, value), ...rest])(good)
  }

function triesOfMembers(form: Form, fields: readonly Member[], good: Members, foreign: Members, put: Put): Try[] {
  return fields.flatMap(({ name, required, schema }) => {
    const values = [
      ...hostileTexts(good[name]),
      ...(form === 'json' || form === 'query' ? hostileLookalikes(good[name]) : []),
      ...(form === 'json' ? hostileJson(good[name]) : []),
      ...(name in foreign ? [{ what: 'of another user', value: foreign[name] }] : []),
    ]
    const isForbidden = (value: unknown) =>
      value === undefined ? required : isUnfit(value) || value === foreign[name] || !permits(schema, value)
    const [item] = itemsOf(good[name])
    return [
      ...values.map(({ what, value }): Try => {
        const verdict = isForbidden(value) ? 'refused' : undefined
        return { field: name, what, verdict, form, spoil: put(name, value) }
      }),
      ...(item && isSchema(schema['items'])
        ? triesOfMembers(form, membersOf(schema['items']), item, {}, inFirstOf(name))
        : []),
    ]
  })
}

function triesOfSegment(
  { method, path }: AnyEndpoint,
  { name, schema }: Member,
  good: string,
  foreign: Members,
): Try[] {
  // A value that is no id searches for users.
  const isId = name.endsWith('id') && !(method === 'GET' && path === '/user/:userid')
  const segments = [...hostileSegments(good), ...(name in foreign ? [String(foreign[name])] : [])]
  return segments.map((segment) => ({
    field: name,
    what: segment.slice(0, 40),
    verdict: isId || isForbiddenSegment(schema, segment) ? 'refused' : undefined,
    form: 'query',
    spoil: (call) => ({ ...call, params: { ...call.params, [name]: segment } }),
  }))
}

function isForbiddenSegment(schema: Schema, segment: string): boolean {
  try {
    const text = decodeURIComponent(segment)
    return isUnfit(text) || !permits(schema, text)
  } catch {
    return true
  }
}

/** Whether not every kind of store can keep the text unchanged. */
const isUnfit = (value: unknown): boolean => typeof value === 'string' && /[\0\p{Surrogate}]/u.test(value)

function changed(members: Members, name: string, value: unknown): Members {
  const { [name]: _old, ...others } = members
  return value === undefined ? others : { ...others, [name]: value }
}

function itemsOf(value: unknown): Members[] {
  return Array.isArray(value) ? value.filter(isSchema) : []
}
