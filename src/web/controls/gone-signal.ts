import { useEffect, useRef, type RefObject } from 'react'

/** A controller whose signal is aborted when the component is removed, for example by the end of the session. */
export function useGone(): RefObject<AbortController> {
  const gone = useRef(new AbortController())
  useEffect(() => {
    const controller = new AbortController()
    gone.current = controller
    return () => controller.abort()
  }, [])
  return gone
}
