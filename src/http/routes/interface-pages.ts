import { docsPage } from '../contract/docs-page.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import type { Page } from '../contract/envelope.ts'
import { describeInterface } from '../contract/openapi.ts'
import { readExamples } from './example-files.ts'
import { madeOnce } from './made-once.ts'

/** The documentation of the interface, for programs and for people. It is the same on all appliances. */
export interface InterfacePages {
  readonly openApi: Page
  readonly docs: Page
}

/** Makes both from one description, at the first call. */
export function createInterfacePages(endpoints: () => readonly AnyEndpoint[]): () => Promise<InterfacePages> {
  return madeOnce(async () => {
    const description = describeInterface(endpoints(), await readExamples())
    return {
      openApi: { contentType: 'application/json', content: Buffer.from(JSON.stringify(description)) },
      docs: docsPage(description),
    }
  })
}
