/** So many of each stay; the newest always does. */
export interface Retention {
  readonly newest: number
  readonly daily: number
  readonly weekly: number
}

const nameForm = /^strongroom-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.age$/

/** The name of a backup of this time, in UTC: names sort as times do. */
export const backupName = (at: number): string =>
  `strongroom-${new Date(at).toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}.age`

/** The time in such a name; undefined for any other file, which is not removed. */
export function timeInName(name: string): number | undefined {
  const [, year, month, day, hour, minute, second] = nameForm.exec(name) ?? []
  return year === undefined ? undefined : Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

/** When the last of these backups was made, of those that no clock which ran ahead has named after `now`. */
export function newestTime(names: readonly string[], now: number): number | undefined {
  const times = names.flatMap((name) => timeInName(name) ?? []).filter((at) => at <= now)
  return times.length === 0 ? undefined : Math.max(...times)
}

const dayMs = 86_400_000
/** 1970-01-05 was a Monday. */
const weekOf = (at: number): number => Math.floor((at / dayMs - 4) / 7)
const dayOf = (at: number): number => Math.floor(at / dayMs)

/**
 * Of these names of backups, those that need not stay: of each day and week the last one counts. What a clock that ran
 * ahead has named after `now` stays, and takes no other one's place.
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
