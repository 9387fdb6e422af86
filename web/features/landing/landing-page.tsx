import { Features } from './features.tsx';
import { Hero } from './hero.tsx';
import { Stats } from './stats.tsx';
import { Steps } from './steps.tsx';

/** What Sendwell is, for people who do not know it yet (specification sections 1 and 2, "Landing page"). */
export function LandingPage() {
  return (
    <main id="main" tabIndex={-1} className="outline-none">
      <Hero />
      <Features />
      <Steps />
      <Stats />
    </main>
  );
}
