import { useEffect, useRef, type RefObject } from 'react'

/** Its signal is aborted when what asks for something goes: with the view, or with the session. */
export function useGone(): RefObject<AbortController> {
  const gone = useRef(new AbortController())
  useEffect(() => {
    const controller = new AbortController()
    gone.current = controller
    return () => controller.abort()
  }, [])
  return gone
}
