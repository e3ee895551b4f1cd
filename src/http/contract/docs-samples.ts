import { firstOf } from './example.ts'
import type { Operation } from './openapi-operation.ts'
import { isSchema } from './openapi-schemas.ts'

/** A sample of a call in one language. */
export interface Sample {
  readonly language: 'curl' | 'Node.js' | 'Python'
  readonly text: string
}

interface SampleCall {
  readonly method: string
  /** Below the address of the appliance, with the values of the example. */
  readonly path: string
  readonly needsToken: boolean
  readonly query: Readonly<Record<string, unknown>>
  readonly body: Readonly<Record<string, unknown>> | undefined
  readonly hasFile: boolean
}

/** The example of an operation in three languages. The environment gives address and token: STRONGROOM and TOKEN. */
export function samplesOf(method: string, path: string, operation: Operation): Sample[] {
  const call = callOf(method, path, operation)
  return [
    { language: 'curl', text: curlOf(call) },
    { language: 'Node.js', text: nodeOf(call) },
    { language: 'Python', text: pythonOf(call) },
  ]
}

function callOf(method: string, path: string, { parameters, requestBody, security }: Operation): SampleCall {
  const given = (place: string): Record<string, unknown> =>
    Object.fromEntries(
      parameters.flatMap(({ name, in: where, example }) =>
        where === place && example !== undefined ? [[name, example]] : [],
      ),
    )
  const named = given('path')
  const form = requestBody?.content['multipart/form-data']?.example
  const json = firstOf(requestBody?.content['application/json'])
  const { file: _content, ...fields } = membersIn(form ?? json)
  return {
    method,
    path: `/api/1.0${path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => encodeURIComponent(textOf(named[name] ?? whole)))}`,
    needsToken: security.length > 0,
    query: given('query'),
    body: form === undefined && json === undefined ? undefined : fields,
    hasFile: form !== undefined,
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const membersIn = (example: unknown): Readonly<Record<string, unknown>> => (isSchema(example) ? example : {})

const inShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

function curlOf({ method, path, needsToken, query, body, hasFile }: SampleCall): string {
  const pairs = Object.entries(query).map(([name, value]) => `--data-urlencode ${inShell(`${name}=${textOf(value)}`)}`)
  const members = Object.entries(body ?? {}).map(([name, value]) => `-F ${inShell(`${name}=${textOf(value)}`)}`)
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`}${pairs.length > 0 ? ' -G' : ''} "$STRONGROOM${path}"`,
    ...(needsToken ? ['-H "X-Http-Token: $TOKEN"'] : []),
    ...pairs,
    ...(hasFile ? [...members, '-F file=@card.pem'] : []),
    ...(body === undefined || hasFile ? [] : [`-d ${inShell(JSON.stringify(body))}`]),
  ].join(' \\\n  ')
}

function nodeOf({ method, path, needsToken, query, body, hasFile }: SampleCall): string {
  const search = Object.keys(query).length === 0 ? '' : `?\${new URLSearchParams(${literal(query)})}`
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(needsToken ? ["  headers: { 'X-Http-Token': env.TOKEN },"] : []),
    ...(hasFile ? ['  body: form,'] : []),
    ...(body === undefined || hasFile ? [] : [`  body: JSON.stringify(${literal(body)}),`]),
  ]
  const form = hasFile
    ? [
        "import { openAsBlob } from 'node:fs'",
        'const form = new FormData()',
        ...Object.entries(body ?? {}).map(
          ([name, value]) => `form.set(${JSON.stringify(name)}, ${JSON.stringify(textOf(value))})`,
        ),
        "form.set('file', await openAsBlob('card.pem'), 'card.pem')",
      ]
    : []
  const address = `\`\${env.STRONGROOM}${path}${search}\``
  return [
    "import { env } from 'node:process'",
    ...form,
    ...(options.length === 0
      ? [`const answer = await fetch(${address})`]
      : [`const answer = await fetch(${address}, {`, ...options, '})']),
    'console.log(await answer.json())',
  ].join('\n')
}

const literal = (value: unknown): string => JSON.stringify(value, undefined, 1).replaceAll(/\n\s*/g, ' ')

function pythonOf({ method, path, needsToken, query, body, hasFile }: SampleCall): string {
  const given = [
    ...(needsToken ? ['headers={"X-Http-Token": os.environ["TOKEN"]}'] : []),
    ...(Object.keys(query).length === 0 ? [] : [`params=${pythonLiteral(query)}`]),
    ...(hasFile ? [`data=${pythonLiteral(body)}`, 'files={"file": open("card.pem", "rb")}'] : []),
    ...(body === undefined || hasFile ? [] : [`json=${pythonLiteral(body)}`]),
  ]
  const lines = [`    os.environ["STRONGROOM"] + ${JSON.stringify(path)},`, ...given.map((one) => `    ${one},`)]
  return [
    'import os, requests',
    `answer = requests.${method.toLowerCase()}(`,
    ...lines,
    ')',
    'print(answer.json())',
  ].join('\n')
}

function pythonLiteral(value: unknown): string {
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (value === null) return 'None'
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, one]) => `${JSON.stringify(name)}: ${pythonLiteral(one)}`)
    .join(', ')}}`
}
