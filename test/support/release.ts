/** Whether everything is tried, as before a release: STRONGROOM_TESTS=release. */
export const isRelease = process.env['STRONGROOM_TESTS'] === 'release'

/**
 * How often a test repeats a race, a storm or a kill: each run finds what often goes wrong, and the longer one before a
 * release what seldom does.
 */
export const repeats = (eachRun: number, beforeRelease: number): number => (isRelease ? beforeRelease : eachRun)
