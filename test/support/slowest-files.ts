import type { Reporter, TestModule } from 'vitest/node'

const shown = 10

/** Prints the files that took longest, import and hooks included. */
// oxlint-disable-next-line import/no-default-export -- the form in which vitest takes reporters
export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= shown) return
    const times = modules.map((module) => {
      const { collectDuration, duration } = module.diagnostic()
      return { file: module.relativeModuleId, seconds: (collectDuration + duration) / 1000 }
    })
    console.log('Slowest files:')
    for (const { file, seconds } of times.toSorted((a, b) => b.seconds - a.seconds).slice(0, shown))
      console.log(`  ${seconds.toFixed(1).padStart(6)} s  ${file}`)
    console.log('')
  }
}
