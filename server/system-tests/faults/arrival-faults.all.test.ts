import { declareArrivalFaults } from './arrival-faults.suite.ts';

declareArrivalFaults({ stories: 1_000, kills: 100 });
