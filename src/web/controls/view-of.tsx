import { useEffect, useState, type ComponentType, type ReactNode } from 'react'
import { Loading } from './loading.tsx'

interface State<Props> {
  /** Fixed while the part is mounted, because another component in its place would lose its state. */
  readonly Shown?: ComponentType<Props> | undefined
  readonly failure?: Error
}

/**
 * A part of a view that is loaded when it is first shown, or earlier by the returned function. Where loading fails, the
 * view breaks, and showing it again loads again. React's `lazy` would keep the failure until the page is reloaded, and
 * shows nothing for at least 300 ms.
 */
export function partOf<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  meanwhile: ReactNode = null,
): readonly [Part: ComponentType<Props>, load: () => Promise<unknown>] {
  let Loaded: ComponentType<Props> | undefined
  const loadOnce = async (): Promise<ComponentType<Props>> => (Loaded ??= await load())
  function Part(props: Props) {
    const [{ Shown, failure }, settle] = useState<State<Props>>({ Shown: Loaded })
    useEffect(() => {
      if (Shown !== undefined) return
      void loadOnce().then(
        (loaded) => settle({ Shown: loaded }),
        (reason: Error) => settle({ failure: reason }),
      )
    }, [Shown])
    if (failure) throw failure
    return Shown ? <Shown {...props} /> : meanwhile
  }
  return [Part, loadOnce]
}

/** A view that is loaded like a part. */
export const viewOf = <Props extends object>(load: () => Promise<ComponentType<Props>>) => partOf(load, <Loading />)
