import type { ApplianceCommit } from '../../audit/recorded-commit.ts'
import type { Clock } from '../../clock.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Store } from '../../store/store.ts'
import { breaksPolicy, findPolicy } from '../passwords/policies.ts'
import type { SiteTemplates } from '../templates/site-templates.ts'
import { createTemplates } from '../templates/templates.ts'
import { createObjectDestruction, type ObjectDestruction } from './destruction.ts'
import { createFavourites, type Favourites } from './favourites.ts'
import { createFieldCipher } from './field-cipher.ts'
import { createFileStore } from './file-store.ts'
import { createMemoryBudget } from './memory-budget.ts'
import { createObjects, type Objects } from './object.ts'
import { createRelocation, type Relocation } from './relocation.ts'
import { createObjectReading, type ObjectReading } from './reading.ts'
import { createTags, type Tags } from './tags.ts'
import { createTrash, type Trash } from './trash.ts'

/** The objects of vaults. */
export interface ObjectServices {
  readonly objects: Objects
  readonly objectReading: ObjectReading
  readonly objectDestruction: ObjectDestruction
  readonly relocation: Relocation
  readonly trash: Trash
  readonly favourites: Favourites
  readonly tags: Tags
}

export function createObjectServices(dependencies: {
  readonly store: Store
  readonly hsm: Hsm
  readonly clock: Clock
  readonly siteTemplates: Pick<SiteTemplates, 'all'>
  readonly commitAsAppliance: ApplianceCommit
  readonly recoveryWindowMs: number
  readonly fileLimits: { readonly maxBytes: number; readonly readPatienceMs: number }
  /** The MIME type of a file, by its first bytes and its extension. */
  readonly detectType: (start: Buffer, extension: string) => Promise<string>
}): ObjectServices {
  const { store, hsm, clock, siteTemplates, commitAsAppliance, recoveryWindowMs, fileLimits, detectType } = dependencies
  const fieldCipher = createFieldCipher(hsm)
  const files = createFileStore({ store, hsm, clock })
  const memory = createMemoryBudget({ totalBytes: 2 * fileLimits.maxBytes, maxWaitMs: fileLimits.readPatienceMs })
  const templatesIn = (reader: Store['read']) => createTemplates(siteTemplates, reader)
  const written = { fieldCipher, files, templatesIn, clock, breaksPolicy: breaksPolicyOf }
  return {
    objects: createObjects({ ...written, detectType }),
    objectReading: createObjectReading({ store, fieldCipher, files, memory }),
    relocation: createRelocation({ ...written, store, maxFileBytes: relocatedFiles * fileLimits.maxBytes }),
    trash: createTrash({ store, clock, recoveryWindowMs }),
    favourites: createFavourites({ store, clock }),
    tags: createTags({ store, clock }),
    objectDestruction: createObjectDestruction({ store, files, clock, recoveryWindowMs, commitAsAppliance }),
  }
}

/** Number of largest files that one call can move or copy. */
const relocatedFiles = 4

function breaksPolicyOf(policyId: number, text: string): boolean {
  const policy = findPolicy(policyId)
  return policy !== undefined && breaksPolicy(policy, text)
}
