import { declareArrivalFaults } from './arrival-faults.suite.ts';

declareArrivalFaults({ stories: 5, kills: 1 });
