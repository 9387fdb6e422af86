import { Features } from './features.tsx';
import { Hero } from './hero.tsx';
import { Stats } from './stats.tsx';
import { Steps } from './steps.tsx';

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
