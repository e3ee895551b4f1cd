import { z } from 'zod'
import { endpoint, type AnyEndpoint } from '../contract/endpoint.ts'
import { describeInterface } from '../contract/openapi.ts'

/** `GET /openapi.json`: what the interface is, for programs. It holds nothing that differs between appliances. */
export const readOpenApi = (endpoints: () => readonly AnyEndpoint[]) => {
  let content: Buffer | undefined
  return endpoint({
    operation: 'docs.openapi',
    handler: 'Handler',
    method: 'GET',
    path: '/openapi.json',
    summary: 'Read this document',
    access: { kind: 'public' },
    success: 200,
    document: 'application/json',
    params: z.object({}),
    body: z.object({}),
    run() {
      content ??= Buffer.from(JSON.stringify(describeInterface(endpoints()), undefined, 2))
      return Promise.resolve({ page: { contentType: 'application/json', content } })
    },
  })
}
