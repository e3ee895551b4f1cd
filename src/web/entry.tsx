import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { BrokenPage } from './controls/broken-page.tsx'
import { useShownAddress } from './controls/held-address.tsx'
import { Refusal } from './interface/refusal.ts'
import { SessionProvider } from './session/session.tsx'
import { Shell } from './shell.tsx'
import { applyPreferences, readPreferences } from './preferences.ts'
import { SpokenProvider } from './words/spoken.tsx'

/** Tried again: what did not arrive, and what the appliance says it cannot serve at this moment. */
const isPassing = (error: unknown): boolean => error instanceof Refusal && (error.status === 0 || error.status === 503)

/** Not before the appliance wants it. */
const delayOf = (count: number, error: Error): number =>
  Math.max(1_000 * 2 ** count, 1_000 * ((error instanceof Refusal && error.waitSeconds) || 0))
const longestWaitMs = 10_000

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // What the browser takes for "offline" is a guess: an appliance in the same house is reached without the Internet.
      networkMode: 'always',
      retry: (count, error) => count < 2 && isPassing(error) && delayOf(count, error) <= longestWaitMs,
      retryDelay: delayOf,
      refetchOnWindowFocus: false,
      refetchOnReconnect: true,
    },
  },
})
// Where one was in a vault costs nothing to keep; it goes with the rest at the logout.
queries.setQueryDefaults(['place'], { gcTime: Infinity })
queries.setQueryDefaults(['recent'], { gcTime: Infinity })

// A page that the browser kept shows what it showed, whoever is there now.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})
applyPreferences(readPreferences())
const place = document.getElementById('console')
if (place === null) throw new Error('the page has no place for the console')
createRoot(place).render(
  <StrictMode>
    <SpokenProvider>
      <BrokenPage>
        <QueryClientProvider client={queries}>
          <SessionProvider>
            <Router hook={useShownAddress}>
              <Shell />
            </Router>
          </SessionProvider>
        </QueryClientProvider>
      </BrokenPage>
    </SpokenProvider>
  </StrictMode>,
)
