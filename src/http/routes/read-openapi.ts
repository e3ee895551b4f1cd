import { endpoint } from '../contract/endpoint.ts'
import type { InterfacePages } from './interface-pages.ts'

/** `GET /openapi.json`: the documentation for programs. */
export const readOpenApi = (pages: () => Promise<InterfacePages>) =>
  endpoint({
    operation: 'docs.openapi',
    handler: 'Handler',
    method: 'GET',
    path: '/openapi.json',
    summary: 'Read this document',
    access: { kind: 'public' },
    document: 'application/json',
    async run() {
      return { page: (await pages()).openApi }
    },
  })
