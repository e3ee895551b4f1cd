import type { Reporter, TestModule } from 'vitest/node'
import { whyNoMachines } from './machine-host.ts'

/** Ends the output of a run with one plain line, for programs that do not parse the runner's output. */
// oxlint-disable-next-line import/no-default-export -- the form in which vitest takes reporters
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()]).map((test) => test.result().state)
    const count = (state: string) => states.filter((one) => one === state).length
    // A file with a failed hook, or that cannot be loaded, has no failed test.
    const broken = modules.filter((module) => !module.ok() && [...module.children.allTests('failed')].length === 0)
    // Files whose process ended before they did.
    const cutOff = modules.filter((module) => ['queued', 'pending'].includes(module.state()))
    for (const { relativeModuleId } of cutOff) console.log(`Cut off: ${relativeModuleId}`)
    if (whyNoMachines !== undefined && modules.some(({ project }) => project.name === 'installed'))
      console.log(`The tests of installed were skipped: ${whyNoMachines}`)
    console.log(
      `${count('passed')} passed, ${count('failed') + broken.length + cutOff.length} failed, ${count('skipped')} skipped`,
    )
  }
}
