import { declareArrivalFaults } from './arrival-faults.suite.ts';

declareArrivalFaults({ stories: 30, kills: 4 });
