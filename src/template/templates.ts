import { Fault } from '../fault.ts'
import { builtInTemplates } from './built-in.ts'
import type { Template } from './template.ts'

export interface Templates {
  /** Every template there is, in the order of their ids. */
  list(): Promise<readonly Template[]>
  /** @throws Fault `template.not_found` */
  find(id: number): Promise<Template>
  /** Those with these ids, each once, in the order of their ids; an unknown id is left out. At most one query. */
  among(ids: Iterable<number>): Promise<readonly Template[]>
}

export function createTemplates(): Templates {
  const builtIn = new Map(builtInTemplates.map((template) => [template.id, template]))
  const among = (ids: Iterable<number>): Promise<Template[]> =>
    Promise.resolve([...new Set(ids)].toSorted((a, b) => a - b).flatMap((id) => builtIn.get(id) ?? []))
  return {
    list: () => Promise.resolve(builtInTemplates),
    among,
    async find(id) {
      const [template] = await among([id])
      // The words that published clients know.
      if (template === undefined) throw new Fault('template.not_found', 'NO SUCH TEMPLATE')
      return template
    },
  }
}
