import { useEffect, useRef, type RefObject } from 'react'

/** A controller whose signal is aborted when the component is unmounted, for example by the end of the session. */
export function useUnmountSignal(): RefObject<AbortController> {
  const unmounted = useRef(new AbortController())
  useEffect(() => {
    const controller = new AbortController()
    unmounted.current = controller
    return () => controller.abort()
  }, [])
  return unmounted
}
