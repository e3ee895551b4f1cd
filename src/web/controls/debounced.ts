import { useEffect, useState } from 'react'

/** A pause between keys that is longer than this ends a word. */
const pauseMs = 250

/** The value once it has stood still: what is asked for as a person types is asked for once. */
export function useDebounced<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
