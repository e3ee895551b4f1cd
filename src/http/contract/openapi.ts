import { manyOf, withOperationIds, type Examples } from './example.ts'
import type { AnyEndpoint } from './endpoint.ts'
import {
  anyFailure,
  operationOf,
  securitySchemes,
  tagOf,
  type Operation,
  type Response,
  type SharedSchemas,
} from './openapi-operation.ts'
import { componentSchemas, type Schema } from './openapi-schemas.ts'

export type PathItem = Readonly<Record<string, Operation>>

/** The interface as an OpenAPI 3.1 document. */
export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: Readonly<Record<string, unknown>> & { readonly title: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly securitySchemes: object
    readonly responses: Readonly<Record<string, Response>>
    readonly schemas: Readonly<Record<string, Schema>>
  }
}

const description = `Secrets in vaults that people share, and keys that encrypt for applications and never leave their hardware security module.

Every answer is one JSON object, the envelope; a success has \`CALLINFO.status\` \`SUCCESS\`. A body is read as JSON whatever Content-Type says. The session token may also be a member \`token\` of the body, of JSON or of a form. Ids are decimal strings in answers, and numbers or strings in requests. Members that a call does not know are ignored, and refused where a vault is \`strict\`. Over HTTP/2 \`LIST /transparent/:vaultid/keys\` does the same as GET on that path.`

/** Descriptions of the tags. A test checks that none is missing. */
const tagWords: Readonly<Record<string, string>> = {
  auth: 'Login and session.',
  authinfo: 'What one may know before a login.',
  user: 'Users, their second factors and their sessions.',
  me: "The caller's own account and second factors.",
  service: 'Accounts of applications that run unattended, and their credentials.',
  link: 'One-time links: secrets for one person without an account, encrypted by their makers.',
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

export function describeInterface(endpoints: readonly AnyEndpoint[], examples: Examples = new Map()): OpenApi {
  const used = new Set(endpoints.map(tagOf))
  const shared: SharedSchemas = {}
  const paths = pathsOf(endpoints, examples, shared)
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
    paths,
    components: { securitySchemes, responses: { AnyFailure: anyFailure }, schemas: { ...componentSchemas, ...shared } },
  }
}

function pathsOf(
  endpoints: readonly AnyEndpoint[],
  examples: Examples,
  shared: SharedSchemas,
): Record<string, PathItem> {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const { contract, operationId } of withOperationIds(endpoints)) {
    const path = contract.path.replaceAll(/:([a-z_]+)/g, '{$1}')
    const [example, many] = [examples.get(operationId), examples.get(manyOf(operationId))]
    const operation = operationOf(contract, { operationId, example, many, shared })
    paths[path] = { ...paths[path], [contract.method.toLowerCase()]: operation }
  }
  return paths
}
