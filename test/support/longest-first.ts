import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Projects with the slowest files first, so that all processes end at about the same time. */
const order = ['installed', 'system', 'web', 'clients', 'attacks', 'api', 'unit']

/**
 * Runs projects one after another, because files share processes only within a project. In each the files that took
 * longest in the last run go first, or the largest.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of the sequencer, not of an array
    const byTime = await super.sort(files)
    return byTime.toSorted((a, b) => order.indexOf(a.project.name) - order.indexOf(b.project.name))
  }
}
