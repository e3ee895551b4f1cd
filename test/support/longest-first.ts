import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Projects one after another, so that their files can share processes; in each the files that start and wait the most go first. */
export class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((a, b) => rankOf(a) - rankOf(b) || a.moduleId.localeCompare(b.moduleId)))
  }
}

const order = ['system', 'clients', 'api', 'unit']

/** Files that take longest on two cores, in seconds; others have none. Kept by hand from the list that a run ends with. */
const longSeconds: readonly (readonly [path: string, seconds: number])[] = []

function rankOf({ project, moduleId }: TestSpecification): number {
  const [, seconds = 0] = longSeconds.find(([path]) => moduleId.endsWith(path)) ?? []
  return order.indexOf(project.name) * 10_000 - seconds
}
