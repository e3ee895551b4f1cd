import { builtInTemplates } from '../../features/templates/built-in.ts'
import { contradictionsOf } from '../../features/templates/contradictions.ts'
import { listSiteTemplates } from '../../features/templates/records.ts'
import { examineTemplate } from '../../features/templates/template-document.ts'
import { withStore } from '../console-context.ts'
import { findingsOf, type Check } from './findings.ts'

const topic = 'templates'
const { warning } = findingsOf(topic)

/** Finds fields that are secret in one template and open in another, which earlier releases let in. */
export const templatesCheck: Check = {
  topic,
  async run(config) {
    const rows = await withStore(config, (store) => listSiteTemplates(store.read))
    const ofSite = rows.flatMap(({ document }) => {
      const examined = examineTemplate(JSON.parse(document))
      return 'template' in examined ? [examined.template] : []
    })
    return ofSite.flatMap((template, at) =>
      contradictionsOf(template, [...builtInTemplates, ...ofSite.slice(0, at)]).map((sentence) =>
        warning(
          `${sentence}, and not in ${template.id}, ${template.name}: an attacker who writes to the database can have it stored in the open`,
          'Add a template in which the field has another name, copy the objects by hand, and remove this one.',
        ),
      ),
    )
  },
}
