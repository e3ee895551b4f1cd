import type { AnyEndpoint } from './endpoint.ts'
import { operationOf, securitySchemes, tagOf, type Operation } from './openapi-operation.ts'
import { componentSchemas } from './openapi-schemas.ts'

export type PathItem = Readonly<Record<string, Operation>>

/** The interface as an OpenAPI 3.1 document. */
export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: Readonly<Record<string, unknown>> & { readonly title: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: Readonly<Record<string, unknown>>
}

const description = `Secrets in vaults that people share, and keys that encrypt for applications and never leave their hardware security module.

Every answer is one JSON object, the envelope; a success has \`CALLINFO.status\` \`SUCCESS\`. A body is read as JSON whatever Content-Type says. Ids are decimal strings in answers, and numbers or strings in requests. Members that a call does not know are ignored. Where GET lists something, LIST on the same path does the same over HTTP/2.`

/** What the operations of each first word are about; a test sees that none is missing. */
const tagWords: Readonly<Record<string, string>> = {
  auth: 'Login and session.',
  authinfo: 'What one may know before a login.',
  user: 'Users, their second factors and their sessions.',
  usercert: 'Certificates of users, for the login by smartcard.',
  audit: 'Records of the audit trail, for users with the capability Audit.',
  vault: 'Vaults and their members.',
  object: 'Secrets and files in vaults.',
  find: 'Search.',
  template: 'What kinds of objects there are, and their fields.',
  file: 'What kind of object a file is.',
  utils: 'Password policies, passwords, and other helpers.',
  transparent: 'Keys that encrypt, decrypt, sign and verify, and never leave.',
  docs: 'This document.',
}

export function describeInterface(endpoints: readonly AnyEndpoint[]): OpenApi {
  const used = new Set(endpoints.map(tagOf))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Strongroom',
      version: '1.0',
      description,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/api/1.0' }],
    tags: [...used].map((name) => ({ name, description: tagWords[name] ?? '' })),
    paths: pathsOf(endpoints),
    components: { securitySchemes, schemas: componentSchemas },
  }
}

/** OpenAPI 3.1 knows no method LIST: it is an alias of GET everywhere, and the description says so. */
function pathsOf(endpoints: readonly AnyEndpoint[]): Record<string, PathItem> {
  const paths: Record<string, Record<string, Operation>> = {}
  const seen = new Set<string>()
  for (const contract of endpoints.filter(({ method }) => method !== 'LIST')) {
    const method = contract.method.toLowerCase()
    const operationId = seen.has(contract.operation) ? `${contract.operation}.${method}` : contract.operation
    seen.add(operationId)
    const path = contract.path.replaceAll(/:([a-z_]+)/g, '{$1}')
    paths[path] = { ...paths[path], [method]: operationOf(contract, operationId) }
  }
  return paths
}
