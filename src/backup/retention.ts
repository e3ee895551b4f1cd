/** The numbers of backups to keep. The newest backup is always kept. */
export interface Retention {
  readonly newest: number
  readonly daily: number
  readonly weekly: number
}

const nameForm = /^strongroom-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.age$/

/** The file name of a backup of this time, in UTC, so that names sort by time. */
export const backupName = (at: number): string =>
  `strongroom-${new Date(at).toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}.age`

/**
 * The time in such a name, in milliseconds since the Unix epoch; undefined for other files, which are never removed.
 */
export function timeInName(name: string): number | undefined {
  const [, year, month, day, hour, minute, second] = nameForm.exec(name) ?? []
  return year === undefined ? undefined : Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

/** The time of the latest of these backups. Names later than `now`, from a clock that was ahead, are ignored. */
export function newestTime(names: readonly string[], now: number): number | undefined {
  const times = names.flatMap((name) => timeInName(name) ?? []).filter((at) => at <= now)
  return times.length === 0 ? undefined : Math.max(...times)
}

const dayMs = 86_400_000
/** The number of a week, starting on Monday: 1970-01-05 was a Monday. */
const weekOf = (at: number): number => Math.floor((at / dayMs - 4) / 7)
const dayOf = (at: number): number => Math.floor(at / dayMs)

/**
 * The backups that may be removed. Of each day and week the last backup counts. Backups named later than `now`, from a
 * clock that was ahead, are kept and not counted.
 */
export function superfluous(names: readonly string[], { newest, daily, weekly }: Retention, now: number): string[] {
  const backups = names
    .flatMap((name) => {
      const at = timeInName(name)
      return at === undefined || at > now ? [] : [{ name, at }]
    })
    .toSorted((a, b) => b.at - a.at)
  const lastOfEach = (period: (at: number) => number, count: number): string[] => {
    const last = new Map<number, string>()
    for (const { name, at } of backups) if (!last.has(period(at))) last.set(period(at), name)
    return [...last.values()].slice(0, count)
  }
  const kept = new Set([
    ...backups.slice(0, Math.max(1, newest)).map(({ name }) => name),
    ...lastOfEach(dayOf, daily),
    ...lastOfEach(weekOf, weekly),
  ])
  return backups.map(({ name }) => name).filter((name) => !kept.has(name))
}
