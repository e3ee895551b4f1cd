import { endpoint } from '../contract/endpoint.ts'
import type { InterfacePages } from './interface-pages.ts'

/** `GET /docs`: the documentation for people, as one page that loads nothing from elsewhere. */
export const readDocs = (pages: () => Promise<InterfacePages>) =>
  endpoint({
    operation: 'docs.page',
    handler: 'Handler',
    method: 'GET',
    path: '/docs',
    summary: 'Read this document in a browser',
    access: { kind: 'public' },
    document: 'text/html',
    async run() {
      return { page: (await pages()).docs }
    },
  })
