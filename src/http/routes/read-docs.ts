import { z } from 'zod'
import { docsPage } from '../contract/docs-page.ts'
import { endpoint, type AnyEndpoint } from '../contract/endpoint.ts'
import type { Page } from '../contract/envelope.ts'
import { describeInterface } from '../contract/openapi.ts'

/** `GET /docs`: the same for people, as one page without scripts. */
export const readDocs = (endpoints: () => readonly AnyEndpoint[]) => {
  let page: Page | undefined
  return endpoint({
    operation: 'docs.page',
    handler: 'Handler',
    method: 'GET',
    path: '/docs',
    summary: 'Read this document in a browser',
    access: { kind: 'public' },
    success: 200,
    document: 'text/html',
    params: z.object({}),
    body: z.object({}),
    run() {
      page ??= docsPage(describeInterface(endpoints()))
      return Promise.resolve({ page })
    },
  })
}
