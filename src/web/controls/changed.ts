/** Of what a form sends, what differs from what it showed: another person may have changed the rest meanwhile. */
export function changed<Members extends object>(typed: Members, shown: Members): Partial<Members> {
  const before = new Map(Object.entries(shown))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- some of the members, as they are
  return Object.fromEntries(
    Object.entries(typed).filter(([name, value]) => value !== before.get(name)),
  ) as Partial<Members>
}
