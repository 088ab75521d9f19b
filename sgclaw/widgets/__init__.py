"""One intent (choose, pick a date, tick) on the controls of any component library, in terms of ordinary acts."""
