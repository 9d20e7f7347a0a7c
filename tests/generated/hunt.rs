//! Many games, one after the other or in processes of their own.
