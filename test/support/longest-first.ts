import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Projects from the slowest files to the quickest, so that the processes that run them end together. */
const order = ['installed', 'system', 'web', 'clients', 'attacks', 'api', 'unit']

/**
 * Projects one after another, because their files share processes with their like alone; in each the files that took longest in the
 * last run go first, or the largest.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of the sequencer, not of an array
    const byTime = await super.sort(files)
    return byTime.toSorted((a, b) => order.indexOf(a.project.name) - order.indexOf(b.project.name))
  }
}
