import { lazy, useState, type ComponentType } from 'react'

/**
 * A view that is loaded when it is first shown, or before. One that has been loaded is shown at once: after `lazy` has told React to
 * wait, even for a moment, React shows it no sooner than 300 ms later.
 */
export function viewOf<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): readonly [View: ComponentType<Props>, load: () => Promise<unknown>] {
  let Loaded: ComponentType<Props> | undefined
  const loadOnce = async (): Promise<{ readonly default: ComponentType<Props> }> => {
    Loaded ??= await load()
    return { default: Loaded }
  }
  const Later: ComponentType<Props> = lazy(loadOnce)
  function View(props: Props) {
    // For as long as it is there: another component in its place would begin anew.
    const [Shown] = useState(() => Loaded ?? Later)
    return <Shown {...props} />
  }
  return [View, loadOnce]
}
