import { Fault } from '../../fault.ts'
import type { Reader } from '../../store/store.ts'
import { builtInTemplates } from './built-in.ts'
import type { SiteTemplates } from './site-templates.ts'
import { lastBuiltInId, type Template } from './template.ts'

export interface Templates {
  /** All templates, by id. */
  list(): Promise<readonly Template[]>
  /** @throws Fault `template.not_found` */
  find(id: number): Promise<Template>
  /**
   * The templates with these ids, each once, by id. Unknown ids are left out; a removed template is no longer active.
   * Takes at most one query, and none where all are built in.
   */
  among(ids: Iterable<number>): Promise<readonly Template[]>
  /** The names of all fields that any template encrypts, including removed templates. */
  secretNames(): Promise<readonly string[]>
}

/** The templates as `reader` sees them: `Store.read`, or a transaction. */
export function createTemplates(siteTemplates: Pick<SiteTemplates, 'all'>, reader: Reader): Templates {
  return {
    async list() {
      const ofSite = await siteTemplates.all(reader)
      return [...builtInTemplates, ...ofSite.filter(({ isRemoved }) => !isRemoved)]
    },

    async find(id) {
      const known: readonly Template[] = id <= lastBuiltInId ? builtInTemplates : await this.list()
      const template = known.find((one) => one.id === id)
      // The text that published clients compare.
      if (template === undefined) throw new Fault('template.not_found', 'NO SUCH TEMPLATE')
      return template
    },

    async among(ids) {
      const wanted = new Set(ids)
      const ofSite = [...wanted].some((id) => id > lastBuiltInId) ? await siteTemplates.all(reader) : []
      const known = [...builtInTemplates, ...ofSite.map((one) => (one.isRemoved ? { ...one, active: false } : one))]
      return known.filter(({ id }) => wanted.has(id))
    },

    async secretNames() {
      const fields = [...builtInTemplates, ...(await siteTemplates.all(reader))].flatMap((one) => one.fields)
      return fields.filter(({ encrypted }) => encrypted).map(({ name }) => name)
    },
  }
}
