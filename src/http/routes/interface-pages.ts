import { docsPage } from '../contract/docs-page.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import type { Page } from '../contract/envelope.ts'
import { describeInterface } from '../contract/openapi.ts'
import { readExamples } from './example-files.ts'
import { madeOnce } from './made-once.ts'

/** The description of the interface, as it is sent to programs and to people. It holds nothing that differs between appliances. */
export interface InterfacePages {
  readonly openApi: Page
  readonly docs: Page
}

/** Both of one description, which is made when the first of them is asked for. */
export function createInterfacePages(endpoints: () => readonly AnyEndpoint[]): () => Promise<InterfacePages> {
  return madeOnce(async () => {
    const description = describeInterface(endpoints(), await readExamples())
    return {
      openApi: { contentType: 'application/json', content: Buffer.from(JSON.stringify(description)) },
      docs: docsPage(description),
    }
  })
}
