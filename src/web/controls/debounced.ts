import { useEffect, useState } from 'react'

/** Milliseconds without typing that end an input. */
const pauseMs = 250

/** The value after a pause in its changes, so that calls are not made for every key. */
export function useDebounced<Value>(value: Value, ms = pauseMs): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
