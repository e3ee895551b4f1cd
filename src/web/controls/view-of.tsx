import { lazy, useState, type ComponentType } from 'react'

/**
 * A view that is loaded when it is first shown, or earlier by the returned function. A loaded view bypasses `lazy`:
 * once that suspends, React waits at least 300 ms before it shows the view.
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
    // Fixed while the view is mounted, because another component in its place would lose its state.
    const [Shown] = useState(() => Loaded ?? Later)
    return <Shown {...props} />
  }
  return [View, loadOnce]
}
